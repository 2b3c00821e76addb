import * as z from "zod/mini";

// Without this, zod would probe for a compiler.
z.config({ jitless: true });

export { z };
