import { html } from "./html.ts";

/** The page's style sheet. It loads nothing: no font, no picture. Contrasts are WCAG AA in light and dark, as a test measures. */
export const PAGE_STYLE = html`
:root {
  color-scheme: light dark;
  --ground: #fff; --text: #1c1e21; --quiet: #57606a; --line: #d0d7de; --link: #0550ae;
  --alarm: #b42318; --alarm-ground: #fff4f2; --good: #1a6e34; --caution: #855300; --lease: #7d8590; --claim: #1a6e34;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171a; --text: #e6e8ea; --quiet: #a3abb3; --line: #3d444d; --link: #79b8ff;
    --alarm: #ff9b91; --alarm-ground: #2a1917; --good: #7fd69a; --caution: #f0c26e; --lease: #8b949e; --claim: #7fd69a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1rem; max-width: 62rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0; }
h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 0; }
p { margin: .25rem 0; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; margin: .75rem 0; list-style: none; }
nav a { display: inline-block; padding: .25rem 0; }
.quiet, figcaption, dt { color: var(--quiet); }
.alarm { color: var(--alarm); }
.good { color: var(--good); }
.caution { color: var(--caution); }
.job { border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; margin: .75rem 0; break-inside: avoid;
  content-visibility: auto; contain-intrinsic-size: auto 14rem; }
.need { background: var(--alarm-ground); border-inline-start: 4px solid var(--alarm); padding: .5rem .75rem; margin: .5rem 0; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .5rem 1rem; margin: .5rem 0; }
dl div { min-width: 0; }
dt { font-size: .875rem; }
dd { margin: 0; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; font-size: .875rem; }
caption { text-align: start; color: var(--quiet); }
th, td { text-align: start; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); }
.wide { width: 60%; }
.number { text-align: end; font-variant-numeric: tabular-nums; }
figure { margin: .5rem 0; }
figcaption { font-size: .875rem; }
summary { cursor: pointer; padding: .25rem 0; color: var(--link); }
svg { display: block; overflow: visible; }
svg text { font: .6875rem system-ui, sans-serif; fill: var(--quiet); }
.key { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; margin: .5rem 0; list-style: none; font-size: .875rem; }
.key svg { display: inline-block; vertical-align: middle; margin-inline-end: .375rem; }
.defs { position: absolute; }
.grid { stroke: var(--line); }
.now { stroke: var(--text); stroke-dasharray: 3 3; }
.lease { fill: none; stroke: var(--lease); }
.claim { fill: var(--claim); }
.sign { stroke: var(--text); fill: var(--ground); stroke-width: 1.5; }
.sign.bad { stroke: var(--alarm); fill: none; stroke-width: 2; }
.tick { stroke: var(--link); stroke-width: 1.5; }
.bar-ground { fill: none; stroke: var(--lease); }
.bar { fill: var(--link); }
@media (max-width: 30rem) { body { padding: .75rem; } .history th, .history td { display: block; border: 0; padding: 0; }
  .history tr { display: block; border-bottom: 1px solid var(--line); padding: .25rem 0; } .history thead { display: none; } }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav { display: none; }
  .job { content-visibility: visible; }
  details::details-content { content-visibility: visible; block-size: auto; }
  a { color: inherit; text-decoration: none; }
}
`;
