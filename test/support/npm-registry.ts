import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tempDirectory } from "./temp-directory.ts";

interface Installed {
  readonly directory: string;
  readonly manifest: { readonly version: string };
}

const ROOT = join(import.meta.dirname, "../..");

/** Where npm put what it installed: shorter paths first, so that the version on top is the latest. */
const INSTALLED_AT: readonly string[] = Object.keys(
  JSON.parse(readFileSync(join(ROOT, "node_modules/.package-lock.json"), "utf8")).packages,
)
  .map((path) => join(ROOT, path))
  .sort((a, b) => a.length - b.length);
const TARBALL = /^\/-\/(.+)@([^@]+)\.tgz$/;
const ARCHIVE_BYTES_MAX = 1024 ** 3;

/**
 * An npm registry on loopback that has what is installed here, so that npm's own commands can run without a network: every
 * package in the versions that stand here. `others` are packages of the test's own, by name: a directory with a package.json for
 * each version, the latest first.
 */
export class NpmRegistry implements AsyncDisposable {
  readonly #others: Readonly<Record<string, readonly string[]>>;
  readonly #server: Server;
  readonly #archives = new Map<string, Buffer>();

  private constructor(others: Readonly<Record<string, readonly string[]>>) {
    this.#others = others;
    this.#server = createServer(({ url = "" }, response) => {
      const path = decodeURIComponent(url);
      const [, name = path.slice(1), version] = TARBALL.exec(path) ?? [];
      const found = this.#manifestsOf(name);
      const wanted = found.find(({ manifest }) => manifest.version === version);
      if (wanted !== undefined) response.end(this.#archive(wanted.directory));
      else if (version === undefined && found.length > 0) response.end(this.#packument(name, found));
      else response.writeHead(404).end("{}");
    });
  }

  static async open(others: Readonly<Record<string, readonly string[]>> = {}): Promise<NpmRegistry> {
    const registry = new NpmRegistry(others);
    registry.#server.listen(0, "127.0.0.1");
    await once(registry.#server, "listening");
    return registry;
  }

  /** What makes npm ask here, and keep what it gets by itself. */
  get env(): Readonly<Record<string, string>> {
    return {
      npm_config_registry: this.#url,
      npm_config_cache: tempDirectory(),
      npm_config_userconfig: "/dev/null",
      npm_config_audit: "false",
      npm_config_fund: "false",
      npm_config_update_notifier: "false",
    };
  }

  get #url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Each version of a package that stands here, the one on top first: others are inside of the packages that need them. */
  #manifestsOf(name: string): readonly Installed[] {
    const directories = this.#others[name] ?? INSTALLED_AT.filter((at) => at.endsWith(`node_modules/${name}`));
    return directories
      .map((directory) => ({ directory, file: join(directory, "package.json") }))
      .filter(({ file }) => existsSync(file))
      .map(({ directory, file }) => ({ directory, manifest: JSON.parse(readFileSync(file, "utf8")) }));
  }

  #packument(name: string, found: readonly Installed[]): string {
    const versions = found.map(({ directory, manifest }) => {
      const integrity = `sha512-${createHash("sha512").update(this.#archive(directory)).digest("base64")}`;
      const dist = { tarball: `${this.#url}-/${name}@${manifest.version}.tgz`, integrity };
      return [manifest.version, { ...manifest, dist }];
    });
    return JSON.stringify({ name, "dist-tags": { latest: versions[0]?.[0] }, versions: Object.fromEntries(versions) });
  }

  #archive(directory: string): Buffer {
    const made = this.#archives.get(directory) ?? archiveOf(directory);
    this.#archives.set(directory, made);
    return made;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }
}

/** Packed fast: agents have hundreds of megabytes. */
function archiveOf(directory: string): Buffer {
  const args = [
    "-c",
    "--use-compress-program=gzip -1",
    "--exclude=./node_modules",
    "--transform=s,^\\./,package/,",
    "-C",
    directory,
    ".",
  ];
  return execFileSync("tar", args, { maxBuffer: ARCHIVE_BYTES_MAX });
}
