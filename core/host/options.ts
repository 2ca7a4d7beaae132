import type { Model } from "../model/model.ts";
import type { Approver } from "../sdk/approval.ts";

/** What `createHost` takes. Every field may be left out. */
export interface HostOptions {
  /** The directory that holds `usr/`, `agents/`, `plugins/`. Default: the nearest one from `cwd` upwards, else `cwd`. */
  readonly root?: string;
  /** Default: the setting `profile`, else `default`. */
  readonly profile?: string;
  /** A directory name of `usr/projects/`. Default: the setting `project`, else none. */
  readonly project?: string;
  /** What file tools may touch. Default: `cwd`. */
  readonly workspace?: string;
  /**
   * `provider/model`, `replay/FILE` for a cassette, or a model of the caller's own. Default: the profile's, the setting
   * `model`, `TOOLROOM_MODEL`, else the offline model.
   */
  readonly model?: string | Model;
  /**
   * The language of descriptions, such as `zh-CN`. Default: the profile's, the setting `locale`, the system's
   * (`LC_ALL`, `LC_MESSAGES`, `LANG`), else `en`. What it does not have is looked up in `zh`, then in `en`.
   */
  readonly locale?: string;
  /**
   * Watches the content and serves what it holds: a change is a new generation. Default false: `reload` looks. Of a
   * plugin a change is seen at once when something of it is in use, else within half a minute; with `all` always at once.
   * `later` begins when `host.watch()` says so, and with it the probe.
   */
  readonly watch?: boolean | "all" | "later";
  /**
   * Loads each changed module in a process of its own first, so that an endless loop, an exit or a full memory at its top
   * level costs that change only. Default false; `watch` and `chat` of the command line turn it on.
   */
  readonly probe?: boolean;
  /**
   * Accepts this root, whatever it holds, and its settings, also when they change, for this process. Default false: the
   * person's file of trusted roots says whether what lies in the root is used. The installed package itself needs no trust.
   */
  readonly trust?: boolean;
  /** Captures what tools print and attributes stray errors of content to it. Default false; the command line turns it on. */
  readonly guard?: boolean;
  /**
   * Is asked about calls that ask a person, one at a time: those of subordinates and of background calls, too. Default:
   * there is nobody, so nothing that asks is run, but for what a standing approval covers.
   */
  readonly approver?: Approver;
  /** Where the calls come from. Default `library`. */
  readonly face?: string;
  /** Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default `process.cwd()`. */
  readonly cwd?: string;
  /** The directory of the bundled content. Default: the installed package's. */
  readonly home?: string;
}

/** What the per-call options of most methods hold. */
export interface ProfileOption {
  /** Default: the host's profile. */
  readonly profile?: string;
}
