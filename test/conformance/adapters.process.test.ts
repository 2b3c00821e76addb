import { cursor } from "../../src/harness/cursor/cursor.ts";
import { adapterSuite } from "./adapter-suite.ts";

adapterSuite(cursor({ model: { id: "composer-2.5" } }));
