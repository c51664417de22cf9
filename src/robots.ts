// `curlew/robots`: the robots.txt parser on its own, for anyone who needs one. Pure: no network, no clock.

export { parseRobots, type RobotsRule, type RobotsTxt, type RobotsVerdict } from './fetch/robots/robots-txt.ts';
