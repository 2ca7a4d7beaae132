import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A host whose `shell` runs `true`, beside the same program by `spawn`.
 *
 * @param sandbox as risk profiles have it: `none`, or `required`
 */
export async function openCommands(context, sandbox) {
  const { root } = context.ownTree({ plugins: 0 });
  const workspace = join(root, "workspace");
  mkdirSync(workspace);
  const profile = { sandbox, allowed_commands: ["true"], low_risk_commands: ["true"] };
  writeFileSync(join(root, "usr/settings.yaml"), JSON.stringify({ risk_profiles: { default: profile } }));
  const { createHost } = await context.core("host.js");
  const host = await createHost({ root, workspace, env: { PATH: process.env.PATH }, trust: true });
  const call = async () => {
    const { status, message, data } = await host.call("shell", { command: "true" });
    if (status === "success" && (data.sandbox.kind === "none") === (sandbox === "none")) return;
    throw new Error(`expected a command that succeeds, found: ${message}`);
  };
  await call();
  return {
    ours: async () => await millisecondsOf(call),
    baseline: async () => await millisecondsOf(async () => await runTrue(workspace)),
    close: () => host.close(),
  };
}

async function millisecondsOf(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** With both streams read to their ends, as whoever wants the output has to. */
async function runTrue(cwd) {
  const child = spawn("true", [], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) stream.resume();
  const code = await new Promise((resolve, reject) => child.once("close", resolve).once("error", reject));
  if (code !== 0) throw new Error(`expected exit code 0, found ${code}`);
}
