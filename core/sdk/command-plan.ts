/**
 * How a judged command runs. `argv`: one program without a shell, with what `env` adds to its environment. `bash`: as
 * `bash --norc --noprofile -c script`, in a `bash` whose environment holds no `BASH_ENV`, no `ENV` and no exported function.
 */
export type CommandPlan =
  | { readonly kind: "argv"; readonly argv: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly kind: "bash"; readonly script: string };
