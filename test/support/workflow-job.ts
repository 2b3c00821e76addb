import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { parse } from "yaml";
import { tempDirectory } from "./temp-directory.ts";

export interface WorkflowStep {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface WorkflowJob {
  readonly if?: string;
  readonly needs?: string;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly concurrency?: object;
  readonly "timeout-minutes": number;
  readonly steps: readonly WorkflowStep[];
}

/** The jobs of a workflow in a repository. */
export function workflowJobs(directory: string, file = ".github/workflows/job-watchdog.yml"): Record<string, WorkflowJob> {
  return parse(readFileSync(join(directory, file), "utf8")).jobs;
}

/** Where a job runs: a checkout, the machine's environment, and what `${{ … }}` comes to there. */
export interface Runner {
  readonly checkout: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly expressions: Readonly<Record<string, string>>;
  /** Sees each line that a step prints, and may signal the step's own process, as a runner does whose job is cancelled. */
  readonly onLine?: ((line: string, signal: (signal: NodeJS.Signals) => void) => void) | undefined;
}

export interface RanJob {
  /** Of the step that failed, or 0. */
  readonly code: number | null;
  readonly output: string;
  /** What steps with an id left, as `steps.<id>.outputs.<name>`. */
  readonly outputs: ReadonlyMap<string, string>;
}

/** The only lines that are not run here: what they change is the machine's. */
const ONLY_ON_A_RUNNER: readonly string[] = [
  "sudo apt-get update -q && sudo apt-get install -q -y bubblewrap",
  "sudo sysctl --ignore --write kernel.apparmor_restrict_unprivileged_userns=0",
];

/** Runs the command lines of a job one after another, each as a runner does: by `bash -e`, with the step's own environment. */
export async function runJob(job: WorkflowJob, { checkout, env, expressions, onLine }: Runner): Promise<RanJob> {
  const outputs = new Map<string, string>();
  const said: string[] = [];
  for (const step of job.steps) {
    const line = step.run;
    if (line === undefined || ONLY_ON_A_RUNNER.includes(line)) continue;
    const scratch = tempDirectory();
    const files = { GITHUB_OUTPUT: join(scratch, "output"), GITHUB_STEP_SUMMARY: join(scratch, "summary") };
    for (const path of Object.values(files)) writeFileSync(path, "");
    writeFileSync(join(scratch, "step.sh"), filledIn(line, expressions));
    const own = Object.entries(step.env ?? {}).map(([name, value]) => [name, filledIn(value, expressions)]);
    const shell = spawn("bash", ["-e", join(scratch, "step.sh")], {
      cwd: checkout,
      env: { ...env, ...files, ...Object.fromEntries(own) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (onLine !== undefined) {
      createInterface({ input: shell.stdout }).on("line", (words) => onLine(words, (signal) => void shell.kill(signal)));
    }
    const [stdout, stderr, [code]] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, "close")]);
    said.push(`$ ${line}\n${stdout}${stderr}`);
    for (const [, name, value = ""] of readFileSync(files.GITHUB_OUTPUT, "utf8").matchAll(/^([^=\n]+)=(.*)$/gm)) {
      outputs.set(`steps.${step.id}.outputs.${name}`, value);
    }
    if (code !== 0) return { code, output: said.join(""), outputs };
  }
  return { code: 0, output: said.join(""), outputs };
}

/** Throws for an expression that the test does not know. */
function filledIn(words: string, expressions: Readonly<Record<string, string>>): string {
  return words.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
    const value = expressions[expression];
    if (value === undefined) throw new Error(`the test does not know what \${{ ${expression} }} comes to`);
    return value;
  });
}
