// A program that tests and some ways of running need, and that is not an npm package. One file per service.

export type Ensured =
  /** Ready to be used; `facts` say how (`path`, `url`, …). */
  | { readonly kind: 'ready'; readonly facts: Readonly<Record<string, string>> }
  | { readonly kind: 'missing'; readonly reason: string };

export interface Service {
  readonly name: string;
  /** Finds it, or brings it here if that can be done without asking. Does not reject for a service that is not there. */
  ensure(): Promise<Ensured>;
}
