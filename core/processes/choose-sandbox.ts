import { ToolError } from "../sdk/errors.ts";
import type { Sandbox } from "./sandbox.ts";
import type { Sandboxes } from "./sandboxes.ts";
import type { ProcessTerms } from "./terms.ts";

/** What would keep in a process that is started now. @throws ToolError DENIED_BY_POLICY */
export async function chooseSandbox(
  sandboxes: Sandboxes,
  { sandbox, sandboxSetting }: Pick<ProcessTerms, "sandbox" | "sandboxSetting">,
): Promise<{ readonly sandbox: Sandbox } | { readonly why: string }> {
  if (sandbox === "none") return { why: sandboxSetting };
  const tested = await sandboxes.test();
  if ("sandbox" in tested || sandbox === "auto") return tested;
  throw new ToolError("DENIED_BY_POLICY", `${sandboxSetting} asks for a sandbox, and there is none: ${tested.why}`, {
    hint: "Nothing is run without it. A person can install bubblewrap; `toolroom doctor` tells whether it works.",
  });
}
