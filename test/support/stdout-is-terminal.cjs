// Preloaded by NODE_OPTIONS: the installed command line takes its stdout for a terminal, and prints what people see there.
const fs = require("node:fs");
const tty = require("node:tty");

if (/\/harness-wake$/.test(process.argv[1] ?? "")) {
  const { fstatSync } = fs;
  fs.fstatSync = (descriptor, ...rest) => (descriptor === 1 ? { isCharacterDevice: () => true } : fstatSync(descriptor, ...rest));
  tty.isatty = (descriptor) => descriptor === 1;
}
