export { isVisionInstalled } from '@grove/vision/light';
