/** A request that is refused. Its message is shown to the user; it names nothing outside of the run folder. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
