/** What Vite adds when it builds the app. */
interface ImportMeta {
  glob<T>(pattern: string): Record<string, () => Promise<T>>;
  readonly env: { readonly BASE_URL: string; readonly DEV: boolean; readonly PROD: boolean };
}

declare module '*.css';

/** The address of a worker, which is built by itself. */
declare module '*?worker&url' {
  const address: string;
  // biome-ignore lint/style/noDefaultExport: that is how Vite gives it.
  export default address;
}
