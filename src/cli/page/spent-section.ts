import type { JobView } from "../../report/job-view.ts";
import { costWords } from "../fleet-table.ts";
import { type Html, html } from "./html.ts";
import { numberWords, spentBar } from "./spent-bar.ts";

/** Of a hundred owners the ones that spend most are looked for. */
const OWNERS_MAX = 20;

interface Spent {
  readonly owner: string;
  readonly jobs: number;
  readonly used: number;
  readonly budget: number;
  /** US dollars; null where no claimant told any. */
  readonly cost: number | null;
}

/** What the jobs of each owner have spent of their budgets. */
export function spentSection(jobs: readonly JobView[]): Html {
  const byOwner = Map.groupBy(jobs, ({ owner_claim }) => owner_claim);
  const owners = [...byOwner].map(([owner, own]) => spentBy(owner, own)).sort((a, b) => b.used - a.used);
  const shown = owners.slice(0, OWNERS_MAX);
  const rest = owners.length - shown.length;
  return html`<section aria-labelledby="spent"><h2 id="spent">Spent</h2>
<table><caption>Tokens against budgets, and cost as far as claimants told it</caption>
<thead><tr><th scope="col">Owner</th><th scope="col" class="number">Jobs</th><th scope="col" class="number">Tokens</th><th scope="col" class="number">Budget</th><th scope="col">Share</th><th scope="col" class="number">Cost</th></tr></thead>
<tbody>${shown.map(spentRow)}</tbody>
<tfoot>${spentRow(spentBy(rest === 0 ? "All" : `All, with ${rest} owners not shown`, jobs))}</tfoot></table></section>
`;
}

function spentBy(owner: string, jobs: readonly JobView[]): Spent {
  const costs = jobs.flatMap(({ cost_usd }) => (cost_usd === null ? [] : [cost_usd]));
  return {
    owner,
    jobs: jobs.length,
    used: sum(jobs.map(({ tokens_used }) => tokens_used)),
    budget: sum(jobs.map(({ budget_tokens }) => budget_tokens)),
    cost: costs.length === 0 ? null : sum(costs),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function spentRow({ owner, jobs, used, budget, cost }: Spent): Html {
  return html`<tr><th scope="row">${owner}</th><td class="number">${numberWords(jobs)}</td><td class="number">${numberWords(used)}</td><td class="number">${numberWords(budget)}</td><td>${spentBar(used, budget)}</td><td class="number">${cost === null ? "unknown" : costWords(cost)}</td></tr>
`;
}
