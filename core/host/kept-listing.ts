import { trustFile } from "../locations.ts";
import { hostDirectories } from "./host-directories.ts";
import { readListing } from "./listing-file.ts";
import type { HostOptions } from "./options.ts";

/**
 * The listing that a host with these options would make, as JSON, if one was kept and nothing that it was made of has
 * changed since; see `listing-keeper.ts`. No host is opened for it, and nothing is read but the one file.
 * @throws HostError ROOT_MISSING (usage)
 */
export function keptListing(options: HostOptions): Buffer | undefined {
  const directories = hostDirectories(options, () => {});
  return readListing(directories.cacheDir, listingQuestion(options, directories));
}

/** What a listing is the answer to, besides what lies on the disk. */
export function listingQuestion(
  { profile, project, locale, trust = false, face = "library", env = process.env }: HostOptions,
  { root, home }: { readonly root: string; readonly home: string },
): string {
  const { LC_ALL, LC_MESSAGES, LANG } = env;
  const system = [LC_ALL, LC_MESSAGES, LANG];
  // A setting of a plugin may clash with another one; what it is set to shows in no listing.
  const settings = Object.keys(env)
    .filter((name) => name.startsWith("TOOLROOM_"))
    .sort();
  const outside = [trustFile(env), settings];
  return JSON.stringify({ root, home, profile, project, locale, system, trust, face, outside, node: process.version });
}
