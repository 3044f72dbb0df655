import { Drawing } from './drawing.tsx';

/** Small drawings of our own, in the colour of the text around them. */
const PATHS = {
  document:
    'M5 4h14a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zM6.5 9.5h4v5h-4zM14 9.5h4M14 12.5h4M14 15.5h2.5',
  passport:
    'M6 3h12a1.5 1.5 0 0 1 1.5 1.5v15A1.5 1.5 0 0 1 18 21H6a1.5 1.5 0 0 1-1.5-1.5v-15A1.5 1.5 0 0 1 6 3zM12 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM8.5 10h7M8.5 17.5h7',
  licence:
    'M5 5h14a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2zM6.5 15.5l1-3 1.2-2.5h4.6l1.2 2.5 1 3zM16.5 9.5H18',
  face: 'M12 3.5c3.6 0 6 2.7 6 6.8 0 4.6-2.6 10.2-6 10.2s-6-5.6-6-10.2c0-4.1 2.4-6.8 6-6.8zM9.5 11v.6M14.5 11v.6M9.8 15.3c1.3 1.1 3.1 1.1 4.4 0',
  form: 'M6 3.5h12v17H6zM9 8h6M9 12h6M9 16h3.5',
  light:
    'M12 7.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5',
  clock: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 7.5V12l3 2',
  key: 'M8 10.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM10.6 11.7L18 4.5l2.5 2.5-1.8 1.8 1.3 1.3-2 2-1.3-1.3-2.7 2.7',
  warning: 'M12 4l9 16H3zM12 10v4.5M12 17.2v.3',
  offline:
    'M3 3l18 18M5 12.5a10 10 0 0 1 5-2.7M19 12.5a10 10 0 0 0-2.5-1.9M8.5 16a5 5 0 0 1 5.7-.9M12 19.5v.2M2 9a15 15 0 0 1 4.2-2.7M22 9A15 15 0 0 0 10.5 5.1',
  phone:
    'M8 2.5h8A1.5 1.5 0 0 1 17.5 4v16a1.5 1.5 0 0 1-1.5 1.5H8A1.5 1.5 0 0 1 6.5 20V4A1.5 1.5 0 0 1 8 2.5zM10.5 18.5h3',
  chevron: 'M6 9.5l6 6 6-6',
  shield: 'M12 3l7.5 2.5v6c0 4.5-3 8-7.5 9.5-4.5-1.5-7.5-5-7.5-9.5v-6zM8.5 12l2.5 2.5 4.5-5',
  bin: 'M4.5 7h15M9.5 7V4h5v3M6.5 7l1 13.5h9l1-13.5M10 11v6M14 11v6',
  target: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 11.8v.4',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return <Drawing path={PATHS[name]} weight="1.7" />;
}
