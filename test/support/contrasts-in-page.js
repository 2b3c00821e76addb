// Runs in the browser: the contrasts of a page by WCAG 2, of every text and of every form in a drawing that is no mere grid.
(() => {
  const colourOf = (css) => {
    const [red = 0, green = 0, blue = 0, alpha = css === "none" ? 0 : 1] = (css.match(/[\d.]+/g) ?? []).map(Number);
    return { parts: [red, green, blue], alpha };
  };
  const luminance = ({ parts }) => {
    const [red, green, blue] = parts.map((part) =>
      part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const groundOf = (element) => {
    if (element === null) return { parts: [255, 255, 255], alpha: 1 };
    const colour = colourOf(getComputedStyle(element).backgroundColor);
    return colour.alpha === 1 ? colour : groundOf(element.parentElement);
  };
  const contrast = (element, css) => {
    const [a, b] = [luminance(colourOf(css)), luminance(groundOf(element))];
    const what = `${element.tagName} .${element.getAttribute("class")} ${element.textContent.slice(0, 30)}`;
    return { what, ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) };
  };
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
  const all = [...document.body.querySelectorAll("*")];
  return {
    texts: all.filter(hasText).map((element) => {
      const { color, fill } = getComputedStyle(element);
      return contrast(element, element.tagName === "text" ? fill : color);
    }),
    forms: all
      .filter((element) => ["rect", "circle", "path", "line"].includes(element.tagName) && !element.matches(".grid"))
      .map((element) => {
        const { fill, stroke } = getComputedStyle(element);
        return contrast(element, stroke === "none" ? fill : stroke);
      }),
  };
})();
