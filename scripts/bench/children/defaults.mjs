/** @throws when a module did not give a class: the time of a load that failed means nothing */
export function requireDefaults(namespaces) {
  for (const [index, namespace] of namespaces.entries()) {
    if (typeof namespace?.default === "function") continue;
    throw new Error(`expected a class as the default export of module ${index}, found ${JSON.stringify(namespace)}`);
  }
}
