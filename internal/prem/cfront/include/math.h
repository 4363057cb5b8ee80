#ifndef WARPBOUND_MATH_H
#define WARPBOUND_MATH_H
double sqrt(double);
float sqrtf(float);
double fabs(double);
float fabsf(float);
double exp(double);
float expf(float);
double log(double);
float logf(float);
double sin(double);
float sinf(float);
double cos(double);
float cosf(float);
double tan(double);
float tanf(float);
double tanh(double);
float tanhf(float);
double floor(double);
float floorf(float);
double ceil(double);
float ceilf(float);
double pow(double, double);
float powf(float, float);
double fmin(double, double);
float fminf(float, float);
double fmax(double, double);
float fmaxf(float, float);
#endif
