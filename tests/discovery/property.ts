import fc from "fast-check";

/** fast-check with a number of runs that keeps the suite fast; every failure prints its seed. */
fc.configureGlobal({ numRuns: 60 });

export { fc };
