/** What in a text looks like somebody's own data, with its place. */
export interface PrivateData {
  readonly what: string;
  readonly index: number;
}

/**
 * Email addresses and home directories. Not meant: domains that are reserved for examples (RFC 2606), `noreply`, `git@host`,
 * names of files such as `logo@2x.png`, and homes of nobody in particular (`/home/user`, `/Users/<name>`).
 */
export function privateData(text: string): readonly PrivateData[] {
  const found: PrivateData[] = [];
  if (text.includes("@")) {
    for (const { 0: address, 1: local = "", 2: domain = "", index } of text.matchAll(EMAIL)) {
      if (!isExample(local, domain)) found.push({ what: `the email address ${shortened(address)}`, index });
    }
  }
  for (const { 0: path, 1: name = "", index } of text.matchAll(HOME)) {
    if (!NOBODY.has(name.toLowerCase())) found.push({ what: `the home directory ${path}`, index });
  }
  return found;
}

const EMAIL = /\b([A-Za-z0-9][A-Za-z0-9._%+-]*)@((?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,})\b/gu;
const HOME = /(?<![\w.-])(?:\/(?:home|Users)\/|[A-Za-z]:\\Users\\)([A-Za-z][\w.-]*)/gu;

const NOBODY: ReadonlySet<string> = new Set(
  "user username users name yourname your-name you me someone somebody person home shared public example agent node app runner ubuntu vscode dev".split(
    " ",
  ),
);

const NOT_A_DOMAIN = /\.(?:png|jpe?g|gif|svg|webp|md|ts|js|json|ya?ml|py|txt)$/iu;
const EXAMPLE_DOMAIN = /(?:^|\.)(?:example\.(?:com|org|net|edu)|example|test|invalid|localhost)$/iu;

function isExample(local: string, domain: string): boolean {
  return (
    EXAMPLE_DOMAIN.test(domain) ||
    NOT_A_DOMAIN.test(domain) ||
    /^(?:git|no-?reply|[\w.+-]*\+noreply)$/iu.test(local) ||
    /(?:^|\.)noreply\./iu.test(domain)
  );
}

/** Enough to find it, and not all of it. */
function shortened(address: string): string {
  return `${address.slice(0, 2)}…${address.slice(address.indexOf("@"))}`;
}
