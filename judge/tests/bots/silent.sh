#!/bin/sh
read -r hello; echo '{"ready":{}}'
read -r start; echo '{"ready":{}}'
read -r turn; exec sleep 99
