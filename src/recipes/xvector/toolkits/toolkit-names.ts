/** The toolkits with a known input convention. */
export const toolkitNames = ["speechbrain", "espnet", "rawnet", "wespeaker", "onnx", "builtin"] as const;
export type ToolkitName = (typeof toolkitNames)[number];
