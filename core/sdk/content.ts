import { CALL_CODES, ToolError } from "./errors.ts";
import { Extension } from "./extension.ts";
import { POINTS } from "./points.ts";
import { z } from "./schema.ts";
import { Tool } from "./tool.ts";

/**
 * What `import … from "toolroom"` gives to content: the host's own instances, so that `instanceof` holds
 * wherever the content lies. The same names as the package's, without the ones that make a host.
 */
export const contentSdk = Object.freeze({ CALL_CODES, Extension, POINTS, Tool, ToolError, z });
