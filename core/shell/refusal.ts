/** Why a command may not run, whatever the settings say: the rule that says so, and a sentence with what to do instead. */
export interface Refusal {
  readonly rule: RefusalRule;
  readonly message: string;
}

/** What a command can be refused for. Denials and logs name them. */
export type RefusalRule =
  | "syntax"
  | "characters"
  | "expansion"
  | "redirection"
  | "after_heredoc"
  | "environment"
  | "command_name"
  | "executable_path"
  | "denied_commands"
  | "path"
  | "inline_code"
  | "packages"
  | "find_exec"
  | "git_configuration"
  | "git_program"
  | "tee";

/** `text` as a message shows it: in one line and not long. */
export function shown(text: string): string {
  const line = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return `\`${line.length > 60 ? `${line.slice(0, 57)}…` : line}\``;
}
