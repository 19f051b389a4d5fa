/** A request that is not answered as it was asked. Its message is shown; it names nothing outside of the run folder. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
