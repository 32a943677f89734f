/** Bytes that the page has read, saved as a file of the person's. */
export function saveAs(bytes: Blob, name: string): void {
  const link = document.createElement('a');
  const address = URL.createObjectURL(bytes);
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
