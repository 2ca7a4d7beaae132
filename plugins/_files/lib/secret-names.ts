/** Names that files with secrets usually have; each is the whole last part of a path, in lower case. */
const FILES = [
  /^\.env(?:\..+)?$/u,
  /^secrets?\.(?:env|json|ya?ml|toml)$/u,
  /^credentials(?:\..+)?$/u,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx)$/u,
  /^id_(?:rsa|dsa|ecdsa|ed25519)$/u,
  /^\.(?:netrc|npmrc|pypirc|pgpass|htpasswd|git-credentials)$/u,
];
/** Directories in which everything is one. */
const DIRECTORIES: ReadonlySet<string> = new Set([".ssh", ".aws", ".gnupg", ".kube"]);
/** What only shows which secrets there are. */
const SAMPLES = /\.(?:example|sample|template|dist)$/u;

/** Whether a path looks like that of a file with secrets. */
export function namesSecrets(path: string): boolean {
  const parts = path.toLowerCase().split(/[\\/]/u);
  const name = parts.at(-1) ?? "";
  if (SAMPLES.test(name)) return false;
  return FILES.some((pattern) => pattern.test(name)) || parts.some((part) => DIRECTORIES.has(part));
}
