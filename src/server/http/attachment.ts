// A name for `Content-Disposition`, whatever it is made of (RFC 6266, RFC 8187): no quote, line break or path gets through.

export function attachment(name: string): string {
  const bare = name.replace(/[/\\]/g, '_').replace(/[\u0000-\u001f\u007f]/g, '') || 'download';
  const ascii = bare.replace(/[^\x20-\x7e]|["%]/g, '_');
  const encoded = encodeURIComponent(bare.toWellFormed()).replace(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
