// Runs for each file of tests, which share a process and the modules in it.
import { afterAll } from "vitest";
import { removeTrees } from "./tree.ts";

afterAll(removeTrees);
