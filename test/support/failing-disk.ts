import { type Disk, nodeDisk } from "../../src/store/disk.ts";

export type FailingCall = "create" | "flush" | "close" | "rename" | "remove" | "flushDirectory";

/** Refuses calls as the system does when it cannot: `refuse` says of each, by what it is about to do, with which errno. */
export function failingDisk(refuse: (call: FailingCall, path: string) => string | undefined): Disk {
  const pathOf = new Map<number, string>();
  const check = (call: FailingCall, path: string): void => {
    const errno = refuse(call, path);
    if (errno !== undefined) throw systemError(errno, call);
  };
  return {
    ...nodeDisk,
    create: (path, text, mode) => {
      const errno = refuse("create", text);
      // A disk that fills up does so in the midst of a file: half of it is there.
      if (errno !== undefined) nodeDisk.close(nodeDisk.create(path, text.slice(0, text.length / 2), mode));
      if (errno !== undefined) throw systemError(errno, "write");
      const descriptor = nodeDisk.create(path, text, mode);
      pathOf.set(descriptor, text);
      return descriptor;
    },
    flush: async (descriptor) => check("flush", pathOf.get(descriptor) ?? ""),
    close: (descriptor) => {
      nodeDisk.close(descriptor);
      check("close", pathOf.get(descriptor) ?? "");
    },
    rename: (from, to) => {
      check("rename", to);
      nodeDisk.rename(from, to);
    },
    remove: (path) => {
      check("remove", path);
      nodeDisk.remove(path);
    },
    flushDirectory: (directory) => check("flushDirectory", directory),
  };
}

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: refused, ${syscall}`), { code, syscall });
}
