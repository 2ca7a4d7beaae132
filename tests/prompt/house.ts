import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { openDiscovery, type View } from "../../core/discovery/discovery.ts";
import type { PromptTool } from "../../core/prompt/generated.ts";

/** A root on the disk for one test. */
export interface House {
  readonly root: string;
  write(files: Readonly<Record<string, string>>): void;
  remove(path: string): void;
  path(path: string): string;
  /** What the discovery sees now, for the profile `default`. */
  view(): View;
}

export function house(files: Readonly<Record<string, string>>): House {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "toolroom-prompt-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "agents/default"), { recursive: true });
  const discovery = openDiscovery({ root, home: root });
  const self: House = {
    root,
    path: (path) => join(root, path),
    write(more) {
      for (const [path, text] of Object.entries(more)) {
        const plugin = /^usr\/plugins\/(\w+)\//.exec(path);
        if (plugin && !path.endsWith("plugin.yaml"))
          self.write({ [`${plugin[0]}plugin.yaml`]: `name: ${plugin[1]}\n` });
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
    },
    remove: (path) => rmSync(join(root, path)),
    view() {
      discovery.refresh();
      return discovery.view("default");
    },
  };
  self.write(files);
  return self;
}

/** A callable tool. */
export function tool(id: string, more: Partial<PromptTool> = {}): PromptTool {
  return { id, description: `Does ${id}.`, parameters: null, file: `tools/${id}.ts`, ...more };
}

export function codes(list: readonly Diagnostic[]): readonly string[] {
  return list.map((item) => item.code);
}
