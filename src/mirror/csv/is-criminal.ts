// Criminal cases are listed, and never fetched.

export function isCriminal(category: string | null): boolean {
  return category?.toLowerCase().includes('criminal') ?? false;
}
