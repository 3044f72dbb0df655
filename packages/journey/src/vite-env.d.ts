/** What Vite adds when it builds the app. */
interface ImportMeta {
  glob<T>(pattern: string): Record<string, () => Promise<T>>;
  readonly env: { readonly BASE_URL: string; readonly DEV: boolean; readonly PROD: boolean };
}

declare module '*.css';
