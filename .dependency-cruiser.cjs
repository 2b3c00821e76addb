// Which room may know which (docs/architecture.md). Each rule says why it is there.

/** A rule: files in `from` must not import anything in `to`. */
const ban = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });

module.exports = {
  forbidden: [
    ban("no-cycles", "A cycle is one module that pretends to be several.", {}, { circular: true }),
    ban(
      "no-orphans",
      "A file that nobody imports is dead.",
      { orphan: true, pathNot: "^src/(index|cli/main|callback/index)\\.ts$" },
      {},
    ),
    ban(
      "errors-are-leaves",
      "Everyone throws them, so they may know nobody.",
      { path: "^src/errors/" },
      { path: "^src/(?!errors/)" },
    ),
    ban(
      "json-is-pure",
      "Values know no job, disk, clock or network; hashing is the one thing taken from Node.",
      { path: "^src/json/" },
      { pathNot: "^src/(json|errors)/|^(node:)?crypto$|^node_modules/(lossless-json|zod)/" },
    ),
    ban(
      "job-is-pure",
      "What a job is and how it may move knows no disk, clock, chance or network: then every rule of it can be tested and replayed.",
      { path: "^src/job/" },
      { pathNot: "^src/(job|json|errors)/" },
    ),
    ban(
      "zod-in-one-place",
      "There it is set up, and there the build makes it wait until a document needs it.",
      { path: "^src/", pathNot: "^src/json/zod\\.ts$" },
      { path: "^node_modules/zod/" },
    ),
    ban(
      "job-knows-no-move",
      "A move is built from what a job is, so what a job is must not know its moves.",
      { path: "^src/job/(?!moves/)" },
      { path: "^src/job/moves/" },
    ),
    ban(
      "report-is-pure",
      "What an operator is shown of a job follows from the job and facts alone, so that every view of it says the same.",
      { path: "^src/report/" },
      { pathNot: "^src/(report|job|json|errors)/" },
    ),
    ban(
      "core-hashes-only",
      "The one thing that the core takes from node:crypto is sha256, in fingerprint.ts.",
      { path: "^src/(json|job)/", pathNot: "^src/json/fingerprint\\.ts$" },
      { path: "^(node:)?crypto$" },
    ),
    ban(
      "chance-has-one-owner",
      "Random ids and pauses come from src/facts; fingerprints only hash.",
      { path: "^src/", pathNot: "^src/(facts|json/fingerprint\\.ts)" },
      { path: "^(node:)?crypto$" },
    ),
    ban("facts-know-nothing", "Clock, ids and surroundings are leaves.", { path: "^src/facts/" }, { path: "^src/(?!facts/)" }),
    ban(
      "http-is-a-leaf",
      "What mail and the gateway share of HTTP must know neither, nor open a connection.",
      { path: "^src/http/" },
      { path: "^src/(?!http/|errors/|facts/)|^node_modules/" },
    ),
    ban(
      "git-knows-no-room",
      "Running git serves pages and stores; it must not know either.",
      { path: "^src/git/" },
      { path: "^src/(?!git/|errors/|facts/)" },
    ),
    ban(
      "tick-never-claims",
      "A tick runs no model, so it must not even be able to claim.",
      { path: "^src/wake/" },
      { path: "^src/(callback|owner|harness|cli|compose\\.ts|config)" },
    ),
    ban(
      "ports-know-no-adapter",
      "A port that imports an adapter loads it for everyone.",
      { path: "^src/(store/job-store|pages/page-oracle|holds/holds|mail/mailer|mail/inbox)\\.ts$" },
      { pathNot: "^src/(job|json|errors)/|^src/(store/job-store|mail/wake-mail)\\.ts$" },
    ),
    ban(
      "only-compose-builds-adapters",
      "Which store, which oracle and which mailer is decided in one place; everyone else is handed a port.",
      {
        path: "^src/",
        pathNot: "^src/(compose(-set-up|-look)?|index)\\.ts$|^src/(store|pages|mail|git|holds|harness/workspace)/",
      },
      {
        path: "^src/(store/(file|git|memory)-job-store|pages/git-head-pages|mail/ntfy-(mailer|inbox)|git/open-git|holds/owners-rules)\\.ts$",
      },
    ),
    ban(
      "callback-knows-ports",
      "What a harness imports must load neither the command line nor an adapter before it is needed; only the package's entry names compose.",
      { path: "^src/callback/", pathNot: "^src/callback/index\\.ts$" },
      { path: "^src/(cli|wake|owner|compose\\.ts|config|git)" },
    ),
    ban(
      "owner-knows-ports",
      "What an owner does to a job loads neither the command line nor an adapter.",
      { path: "^src/owner/" },
      { path: "^src/(cli|wake|callback|compose\\.ts|config|git)" },
    ),
    ban(
      "fleet-knows-ports",
      "The record that every call takes names ports alone; compose.ts fills it.",
      { path: "^src/fleet\\.ts$" },
      {
        path: "^src/",
        pathNot: "^src/(job|json|errors|facts)/|^src/(store/job-store|pages/(page-oracle|known-pages)|holds/holds)\\.ts$",
      },
    ),
    ban(
      "harness-is-a-caller",
      "A worker does what any harness could: it calls the callback, and the store decides. Nothing below may know it.",
      { path: "^src/(?!harness/|cli/|compose(-worker)?\\.ts|index\\.ts)" },
      { path: "^src/harness/" },
    ),
    ban(
      "harness-knows-ports",
      "A worker is handed its fleet; what it drags in beyond that is loaded by every harness.",
      { path: "^src/harness/" },
      { path: "^src/(cli|wake|owner|compose\\.ts|config|report)" },
    ),
    ban(
      "enclosure-knows-no-job",
      "Closing a program in has to do with processes alone, so that it can be tried with programs alone.",
      { path: "^src/harness/enclosure/" },
      { path: "^src/(?!harness/enclosure/|errors/|facts/)" },
    ),
    ban(
      "agents-know-no-fleet",
      "How an agent is called and read is text in, text out: a new one needs no store, no git and no process to be tested.",
      { path: "^src/harness/agents/" },
      {
        path: "^src/(?!harness/(agents|outcome|error-kind|gateway/api-error)|job|json|errors|facts)|^(node:)?(child_process|fs)$",
      },
    ),
    ban(
      "who-starts-programs-ends-them",
      "What a harness starts must be gone when it ends, and so must git's transports: that is promised in these places alone.",
      { path: "^src/", pathNot: "^src/(harness/enclosure/|git/(open-git|git-process)\\.ts$|facts/process-group\\.ts$)" },
      { path: "^(node:)?child_process$" },
    ),
    ban(
      "only-cli-parses-arguments",
      "commander belongs to the command line.",
      { path: "^src/(?!cli/)" },
      { path: "^node_modules/commander/" },
    ),
    ban(
      "only-cli-measures-cells",
      "What fits a terminal is for the command line to know; views are records.",
      { path: "^src/(?!cli/)" },
      { path: "^node_modules/(string-width|cli-truncate|wrap-ansi)/" },
    ),
    ban(
      "gateway-knows-no-job",
      "What an agent talks to forwards and counts. It must not be able to move a job, or to start a program.",
      { path: "^src/harness/gateway/" },
      { path: "^src/(?!harness/(gateway/|error-kind\\.ts$)|json/|errors/|facts/|http/)" },
    ),
    ban(
      "only-mail-and-the-gateway-speak-http",
      "undici belongs to those who talk to other machines.",
      { path: "^src/(?!mail/|harness/gateway/)" },
      { path: "^node_modules/undici/" },
    ),
    ban(
      "only-the-gateway-reads-event-streams",
      "eventsource-parser belongs to answer-reader.ts.",
      { path: "^src/", pathNot: "^src/harness/gateway/answer-reader\\.ts$" },
      { path: "^node_modules/eventsource-parser/" },
    ),
    ban(
      "tools-know-no-fleet",
      "What an agent is given to work with must not be able to move a job, or to start a program outside of an enclosure.",
      { path: "^src/harness/tools/" },
      { path: "^src/(?!harness/(tools|enclosure)/|job/limits\\.ts$|json/|errors/|facts/)|^(node:)?child_process$" },
    ),
    ban(
      "run-limits-are-pure",
      "Moments come with the events, so that every order of them can be tried.",
      { path: "^src/harness/tools/run-limits\\.ts$" },
      { path: ".*" },
    ),
    ban(
      "only-submit-validates-schemas",
      "ajv belongs to submission.ts; our own input is checked by zod.",
      { path: "^src/", pathNot: "^src/harness/tools/submission\\.ts$" },
      { path: "^node_modules/ajv/" },
    ),
    ban(
      "only-the-policy-parses-shell",
      "unbash belongs to the policy of read-only agents: what it understands is judged there, and printed anew.",
      { path: "^src/", pathNot: "^src/harness/tools/read-only-shell/" },
      { path: "^node_modules/unbash/" },
    ),
    ban(
      "only-git-runs-git",
      "simple-git belongs to src/git/git-version.ts.",
      { path: "^src/", pathNot: "^src/git/git-version\\.ts$" },
      { path: "^node_modules/simple-git/" },
    ),
    ban(
      "only-the-heartbeat-beats",
      "proper-lockfile shows that a holder lives; who holds the lock is for the baton alone to say (docs/architecture.md).",
      { path: "^src/", pathNot: "^src/store/lock/heartbeat\\.ts$" },
      { path: "^node_modules/(@types/)?proper-lockfile/" },
    ),
    ban(
      "lock-has-one-door",
      "Whoever takes a baton by another way than directory-lock.ts skips the queue or the giving back.",
      { path: "^src/", pathNot: "^src/store/(lock/|directory-lock\\.ts)" },
      { path: "^src/store/lock/" },
    ),
    ban(
      "no-test-code",
      "What ships must not lean on what only tests.",
      { path: "^src/" },
      { path: "^test/|^node_modules/(vitest|fast-check)/" },
    ),
    ban(
      "is-declared",
      "Only what package.json promises to install may be imported.",
      { path: "^src/" },
      { dependencyTypes: ["npm-dev", "npm-no-pkg", "unknown"] },
    ),
  ],
  options: {
    parser: "swc",
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "default"], extensions: [".ts", ".js"] },
  },
};
