/** The toolkits whose way of handing audio to a model is known. */
export const toolkitNames = ["speechbrain", "espnet", "rawnet", "wespeaker", "onnx", "builtin"] as const;
export type ToolkitName = (typeof toolkitNames)[number];
