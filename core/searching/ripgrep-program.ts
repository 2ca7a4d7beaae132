/** Where the program ripgrep lies, or why there is none. */
export async function findRipgrep(): Promise<{ readonly program: string } | { readonly failed: string }> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return { program: rgPath };
  } catch {
    return { failed: "the package has none for this machine" };
  }
}
