import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { WorkflowAgent } from "../../src/cli/worker-job.ts";
import type { Job } from "../../src/job/job.ts";
import { GIT_ENV, git } from "./git.ts";
import { GitHttpServer } from "./git-http-server.ts";
import { addRemote, cloneOf, commitAll, freshRepository } from "./git-repository.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { NpmRegistry } from "./npm-registry.ts";
import { packPackage } from "./packed-package.ts";
import { runCli } from "./run-cli.ts";
import { tempDirectory } from "./temp-directory.ts";
import { type RanJob, type Runner, runJob, type WorkflowJob, workflowJobs } from "./workflow-job.ts";

const run = promisify(execFile);

/** What `${{ … }}` comes to on a runner where no secret is set. */
const NO_SECRETS = {
  "secrets.ANTHROPIC_API_KEY": "",
  "secrets.ANTHROPIC_AUTH_TOKEN": "",
  "secrets.CLAUDE_CODE_OAUTH_TOKEN": "",
  "secrets.OPENAI_API_KEY": "",
  "secrets.CODEX_API_KEY": "",
  "secrets.HARNESS_WAKE_NTFY_URLS": "",
  "secrets.NTFY_TOKEN": "",
  "secrets.NTFY_TOKEN != '' && 'NTFY_TOKEN' || ''": "",
  "github.run_id": "4711",
  "github.run_attempt": "1",
};

const TOKEN = "basic eC1hY2Nlc3MtdG9rZW46Z2hzXw==";

/** A repository with the packed package installed, set up by the lines that `init` gives, and pushed; and its runners. */
export class WorkflowWorld implements AsyncDisposable {
  readonly remote: string;
  readonly model: ModelServer;
  readonly #registry: NpmRegistry;
  readonly #directory = freshRepository();
  /** What a machine has beside a checkout: npm's settings, a home, and here the address of the scripted model. */
  readonly #env: Readonly<Record<string, string | undefined>>;

  private constructor(registry: NpmRegistry, model: ModelServer, home: string) {
    this.#registry = registry;
    this.model = model;
    const path = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
    const addresses = { ANTHROPIC_BASE_URL: model.url, OPENAI_BASE_URL: `${model.url}/v1` };
    this.#env = { ...GIT_ENV, ...registry.env, ...addresses, PATH: path, HOME: home };
    writeFileSync(join(this.#directory, ".gitignore"), "node_modules/\n");
    commitAll(this.#directory);
    this.remote = addRemote(this.#directory);
    git(this.remote, "config", "http.receivepack", "true");
  }

  /** `packages` are what npm finds beside what is installed here; `home` is the runner's. */
  static async open(packages: Readonly<Record<string, readonly string[]>>, home = tempDirectory()): Promise<WorkflowWorld> {
    return new WorkflowWorld(await NpmRegistry.open(packages), await startModelServer(), home);
  }

  /** Sets the repository up, runs the lines that `init` says are left to run, and pushes. Gives those lines. */
  async setUp(agent: WorkflowAgent): Promise<readonly string[]> {
    await this.shell(`cp ${packPackage()} . && npm install --save-dev ./harness-wake-*.tgz`);
    const init = JSON.parse(await this.shell(`node_modules/.bin/harness-wake init --worker ${agent}`));
    const lines: readonly string[] = init.left_to_do.flatMap((step: string) => /^Pin .*?`(.*?)`/.exec(step)?.[1] ?? []);
    for (const line of lines) await this.shell(line);
    this.push();
    return lines;
  }

  /** Runs a line in the checkout; gives its stdout. */
  async shell(line: string): Promise<string> {
    return (await run("bash", ["-ec", line], { cwd: this.#directory, env: this.#env })).stdout;
  }

  push(): void {
    commitAll(this.#directory);
    git(this.#directory, "push", "-q", "origin", "main");
  }

  /** A job of the workflow as it was pushed. */
  job(name: "look" | "watch" | "work"): WorkflowJob {
    const job = workflowJobs(this.#directory)[name];
    if (job === undefined) throw new Error(`the workflow has no job ${name}`);
    return job;
  }

  /** Runs a job in a fresh checkout, with these secrets. */
  async run(
    name: "look" | "watch" | "work",
    secrets: Readonly<Record<string, string>> = {},
    onLine?: Runner["onLine"],
  ): Promise<RanJob> {
    const set = Object.fromEntries(Object.entries(secrets).map(([secret, value]) => [`secrets.${secret}`, value]));
    await using server = await GitHttpServer.over({ directory: this.remote });
    server.authorization = TOKEN;
    const checkout = this.#checkOut(server.url);
    return await runJob(this.job(name), { checkout, env: this.#env, expressions: { ...NO_SECRETS, ...set }, onLine });
  }

  /** As actions/checkout leaves it: shallow, and with the token in a file outside that the repository's config includes. */
  #checkOut(url: string): string {
    const checkout = cloneOf(this.remote, "--depth", "1");
    const credentials = join(tempDirectory(), "git-credentials.config");
    writeFileSync(credentials, `[http "${new URL("/", url)}"]\n\textraheader = Authorization: ${TOKEN}\n`);
    git(checkout, "remote", "set-url", "origin", url);
    for (const at of [".git", ".git/worktrees/*"]) {
      git(checkout, "config", `includeIf.gitdir:${join(checkout, at)}.path`, credentials);
    }
    return checkout;
  }

  async create(jobId: string, harness: string): Promise<void> {
    const told = ["--owner", "HARBOR", "--harness", harness, "--objective", "Write the report", "--within", "2d"];
    await runCli({ cwd: cloneOf(this.remote) }, "create", jobId, ...told);
  }

  async shown(jobId: string): Promise<Job> {
    return (await runCli<Job>({ cwd: cloneOf(this.remote) }, "show", jobId)).json;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.model.down();
    await this.#registry[Symbol.asyncDispose]();
  }
}
