// The Standard Schema interface, version 1 (https://standardschema.dev), which zod, valibot, arktype and others offer.
// Types only: authors bring whichever library they like, and Curlew depends on none of them here.

/** A schema of any library. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardSchema.Props<Input, Output>;
}

export declare namespace StandardSchema {
  interface Props<Input, Output> {
    readonly version: 1;
    /** The library's name. */
    readonly vendor: string;
    readonly validate: (value: unknown) => Result<Output> | Promise<Result<Output>>;
    /** Never filled in: it only carries the types. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Offered by libraries that can describe their schemas as JSON Schema. */
    readonly jsonSchema?: JsonSchemaConverter | undefined;
  }

  type Result<Output> =
    | { readonly value: Output; readonly issues?: undefined }
    | { readonly issues: readonly SchemaIssue[] };

  interface SchemaIssue {
    readonly message: string;
    readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  }

  interface JsonSchemaConverter {
    /** Describes what the schema accepts. May throw when it cannot be described. */
    readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
  }

  /** What a schema accepts. */
  type InferInput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['input'];

  /** What a schema returns. */
  type InferOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output'];
}
