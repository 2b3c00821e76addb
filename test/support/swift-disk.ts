import { closeSync } from "node:fs";
import { type Disk, nodeDisk } from "../../src/store/disk.ts";

/**
 * The real file system without waiting for the platter, for tests that end no machine. When its `using` block ends it
 * closes what its caller left open, as the system does for a process that died.
 */
export function swiftDisk(): Disk & Disposable {
  const open = new Set<number>();
  return {
    ...nodeDisk,
    create: (path, text, mode) => {
      const descriptor = nodeDisk.create(path, text, mode);
      open.add(descriptor);
      return descriptor;
    },
    flush: async () => undefined,
    close: (descriptor) => {
      open.delete(descriptor);
      nodeDisk.close(descriptor);
    },
    flushDirectory: () => undefined,
    [Symbol.dispose]: () => open.forEach((descriptor) => void closeSync(descriptor)),
  };
}
