import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tempDirectory } from "./temp-directory.ts";

const INSTALLED = join(import.meta.dirname, "../../node_modules");
const TARBALL = /^\/-\/(.+)\.tgz$/;
const ARCHIVE_BYTES_MAX = 1024 ** 3;

/**
 * An npm registry on loopback that has what is installed here, so that npm's own commands can run without a network: every
 * package in one version. `others` are packages of the test's own, by name: directories with a package.json.
 */
export class NpmRegistry implements AsyncDisposable {
  readonly #others: Readonly<Record<string, string>>;
  readonly #server: Server;
  readonly #archives = new Map<string, Buffer>();

  private constructor(others: Readonly<Record<string, string>>) {
    this.#others = others;
    this.#server = createServer(({ url = "" }, response) => {
      const path = decodeURIComponent(url);
      const tarball = TARBALL.exec(path)?.[1];
      const directory = this.#directoryOf(tarball ?? path.slice(1));
      if (directory === undefined) response.writeHead(404).end("{}");
      else response.end(tarball === undefined ? this.#packument(directory) : this.#archive(directory));
    });
  }

  static async open(others: Readonly<Record<string, string>> = {}): Promise<NpmRegistry> {
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

  #directoryOf(name: string): string | undefined {
    const directory = this.#others[name] ?? join(INSTALLED, name);
    return existsSync(join(directory, "package.json")) ? directory : undefined;
  }

  #packument(directory: string): string {
    const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    const { name, version } = manifest;
    const integrity = `sha512-${createHash("sha512").update(this.#archive(directory)).digest("base64")}`;
    const dist = { tarball: `${this.#url}-/${name}.tgz`, integrity };
    return JSON.stringify({ name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } });
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

function archiveOf(directory: string): Buffer {
  const args = ["-cz", "--exclude=./node_modules", "--transform=s,^\\./,package/,", "-C", directory, "."];
  return execFileSync("tar", args, { maxBuffer: ARCHIVE_BYTES_MAX });
}
