#!/usr/bin/env node
import { main } from "@okstra/kit/cli";
import { app } from "./cli.ts";

main(app);
