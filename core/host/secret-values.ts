/** Names of environment variables whose values are secret by custom. */
const SECRET_NAME = /(?:^|_)(?:API_?KEY|ACCESS_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(?:_|$)/u;

/** A shorter value is more likely a word (`yes`, `none`) than a secret, and masking it would garble every text. */
const MIN_LENGTH = 8;

/** Whether what a variable of the environment holds is secret by custom. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.toUpperCase());
}

/** The values of the environment that may never appear in a result, a log or an error, sorted by name. */
export function secretValues(
  env: Readonly<Record<string, string | undefined>>,
): readonly { name: string; value: string }[] {
  return Object.keys(env)
    .sort()
    .filter(isSecretName)
    .flatMap((name) => {
      const value = env[name] ?? "";
      return value.length >= MIN_LENGTH ? [{ name, value }] : [];
    });
}
