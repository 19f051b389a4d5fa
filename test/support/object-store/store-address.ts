/** A store of the tests, and who may use it. */
export interface StoreAddress {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The environment of a program that uses this store, and no profile of the user's. */
export function storeVariables({ endpoint, accessKeyId, secretAccessKey }: StoreAddress): Record<string, string> {
  return {
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_CONFIG_FILE: "/none",
    AWS_SHARED_CREDENTIALS_FILE: "/none",
    AWS_EC2_METADATA_DISABLED: "true",
  };
}
