// Replaces src/config/espnet3-resolvers.ts: no config of the guide is one of ESPnet3's recipes, and the page stays small.
export const espnet3Resolvers = {};
