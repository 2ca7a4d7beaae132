import { obeyedBy } from "../governance/obeyed-files.ts";
import { CALL_CODES, ToolError } from "../sdk/errors.ts";
import { Extension } from "../sdk/extension.ts";
import { POINTS } from "../sdk/points.ts";
import { z } from "../sdk/schema.ts";
import { Tool } from "../sdk/tool.ts";
import { judgeCommand } from "../shell/judge-command.ts";

/**
 * What `import … from "toolroom"` gives to content: the host's own instances, so that `instanceof` holds
 * wherever the content lies. The same names as the package's, without the ones that make a host.
 */
export const contentSdk = Object.freeze({ CALL_CODES, Extension, judgeCommand, obeyedBy, POINTS, Tool, ToolError, z });
