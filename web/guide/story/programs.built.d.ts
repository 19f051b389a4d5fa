import type { Platform } from "../machine/program.ts";

/** Runs one program of the library. Made by scripts/build-guide.mjs out of programs/programs.ts. */
export declare function boot(platform: Platform): Promise<void>;
