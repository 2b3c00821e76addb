import { realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { OpenedFleet } from "../compose.ts";
import { errnoOf } from "../errors/io-error.ts";
import { JobError } from "../errors/job-error.ts";
import { newTempName } from "../store/atomic-write.ts";
import { withExample } from "./example.ts";
import { type FilterFlags, withFilters } from "./fleet-filter.ts";
import { type FleetOptions, openFleetFor, withFleetOptions } from "./fleet-options.ts";
import { fleetRows } from "./fleet-rows.ts";
import { placeLine } from "./place-line.ts";
import type { Cli } from "./verb.ts";

type ReportFlags = FleetOptions & FilterFlags & { readonly out: string };

export function addReportVerb({ program, environment, report }: Cli): void {
  const verb = program.command("report").description("write a page for browsers that shows the fleet; it loads nothing");
  withExample(withFilters(withFleetOptions(verb)), "harness-wake report --out wake.html")
    .requiredOption("--out <file>", "the page to write; an older one is replaced", requirePath)
    .action(async (flags: ReportFlags) => {
      const fleet = await openFleetFor(flags, environment);
      const path = pagePath(resolve(environment.cwd, flags.out), fleet);
      const { seen, now, areAllReadable, exit } = await fleetRows(fleet, flags, environment);
      environment.onProgress?.("drawing the page");
      const { fleetPage } = await import("./page/fleet-page.ts");
      const page = fleetPage(seen, { now, place: placeLine(fleet) });
      replacePage(path, page);
      const need = seen.filter(({ row }) => row.need !== null).length;
      report({
        record: { ok: areAllReadable, state: "REPORTED", file: path, job_count: seen.length, need_a_person: need },
        text: () => `${path}: ${seen.length} jobs, ${need} of them need a person\n`,
        exit,
      });
    });
}

/** Stdout is for records alone (contract §9). Throws JobError USAGE. */
function requirePath(file: string): string {
  if (file !== "" && file !== "-") return file;
  throw new JobError("USAGE", `--out: "${file}" is no file; the page goes to a file, like wake.html`, { field: "out" });
}

/** Where the page goes. Throws JobError USAGE for a place among the jobs, of which it might replace one; IO where there is none. */
function pagePath(path: string, { jobsDirectory }: OpenedFleet): string {
  let directory: string;
  try {
    directory = realpathSync(dirname(path));
  } catch (cause) {
    throw new JobError("IO", `${path}: there is no such directory (${errnoOf(cause) ?? cause}); make it first`, {
      file: path,
      cause,
    });
  }
  const jobs = realPathOr(jobsDirectory);
  if (directory !== jobs && !directory.startsWith(`${jobs}/`)) return join(directory, basename(path));
  throw new JobError("USAGE", `--out: ${path} lies among the jobs; name a file elsewhere`, { field: "out" });
}

/** A directory of jobs that is not there holds none that could be replaced. */
function realPathOr(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return path;
  }
}

/** A browser that loads it meanwhile sees the old page or the new one. Throws JobError IO. */
function replacePage(path: string, page: string): void {
  const temp = join(dirname(path), newTempName());
  try {
    writeFileSync(temp, page, { flag: "wx" });
    renameSync(temp, path);
  } catch (cause) {
    rmSync(temp, { force: true });
    throw new JobError("IO", `${path}: the page cannot be written (${errnoOf(cause) ?? cause})`, { file: path, cause });
  }
}
