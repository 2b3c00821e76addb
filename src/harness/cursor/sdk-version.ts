/** The one version of @cursor/sdk that runs here; cursor/package.json, its lockfile and our devDependency name it too. */
export const CURSOR_SDK_VERSION = "1.0.31";
