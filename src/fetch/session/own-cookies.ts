// Cookies that belong to one request: they go to the origin that it was made for, and stand in no jar.

/** By name. */
export type OwnCookies = Readonly<Record<string, string>>;

/** The value of a `Cookie` field with a request's own cookies in it, which win. */
export function withOwnCookies(field: string | undefined, own: OwnCookies): string {
  const others = field?.split('; ').filter((pair) => !Object.hasOwn(own, pair.split('=', 1).join())) ?? [];
  return [...others, ...Object.entries(own).map(([name, value]) => `${name}=${value}`)].join('; ');
}
